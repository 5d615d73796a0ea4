// Set up before the tests of CI: properties are tried with the same values each time, so that a change is
// judged by what it changes, and a counterexample fails at the second try as at the first. Everywhere else
// they are tried with new values in each run.
import { configureGlobal } from "fast-check";

configureGlobal({ seed: 20_261_201 });
