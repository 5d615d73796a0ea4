import { engines } from "@muster/extractors-metrics";
import { type Command, InvalidArgumentError } from "commander";
import { inspectPage } from "../inspect/inspect-page.ts";
import { reportText, somethingRead } from "../inspect/report-text.ts";
import { exit, type Io } from "./io.ts";
import { parseCount } from "./options.ts";

interface InspectFlags {
  readonly engine: string;
  readonly contentType?: string;
  readonly json?: boolean;
  readonly timeout: string;
  readonly maxBytes: number;
  readonly bearerTokenFile?: string;
  readonly caCert?: string;
  readonly insecureSkipVerify?: boolean;
}

/** `muster inspect`: shows what Muster reads on one page. */
export function addInspect(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("inspect")
    .description("read one metrics page and show what is understood of it")
    .argument("<url|file>", "http(s) URL of the page, or a saved page (gzipped or not)")
    .option("--engine <name>", "engine whose names to read; auto detects it", parseEngine, "auto")
    .option(
      "--content-type <type>",
      "content type of a file (default: OpenMetrics when it ends in # EOF, else text)",
    )
    .option("--json", "print one JSON object")
    .option("--timeout <duration>", "how long a server may take", "5s")
    .option("--max-bytes <number>", "largest page to read", parseCount, 16 * 1024 * 1024)
    .option("--bearer-token-file <file>", "file with the token to send")
    .option("--ca-cert <file>", "certificate authority of the server, PEM")
    .option("--insecure-skip-verify", "do not verify the server's certificate")
    .addHelpText(
      "after",
      `
Exit codes: 0 something was read, 1 nothing was (the error says why).

Examples:
  muster inspect http://127.0.0.1:8000/metrics
  muster inspect page.prom --engine sglang --json`,
    )
    .action(async (target: string, flags: InspectFlags) => {
      const report = await inspectPage(target, flags, io.signal);
      io.out(flags.json ? `${JSON.stringify(report)}\n` : reportText(report));
      done(somethingRead(report) ? exit.ok : exit.failed);
    });
}

function parseEngine(text: string): string {
  const names = ["auto", ...engines.map((engine) => engine.name)];
  if (names.includes(text)) return text;
  throw new InvalidArgumentError(`"${text}" is none of ${names.join(", ")}`);
}
