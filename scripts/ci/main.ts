import { dynamicSteps, staticSteps } from "./plan.ts";
import { runSteps } from "./steps.ts";

const onlyStatic = process.argv[2] === "static";
const steps = onlyStatic ? staticSteps : [...staticSteps, ...dynamicSteps];
const { failed } = await runSteps(steps, (line) => console.log(line));
process.exitCode = failed > 0 ? 1 : 0;
