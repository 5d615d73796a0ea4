/** As much of a suite as is read of it. */
interface SuiteResult {
  readonly name: string;
  readonly children: { allTests(): Iterable<unknown> };
}

/** As much of a test file's result as is read of it. */
interface FileResult {
  readonly children: { allSuites(): Iterable<SuiteResult> };
}

/**
 * A reporter beside vitest's own, which does not name what it skips: says at the end which servers are
 * not installed, how many tests were skipped for that, and how to get them. The names of such suites
 * end in `[needs etcd: apt-get install …]`.
 */
export class TellSkipped {
  readonly #print: (text: string) => void;

  constructor(print: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#print = print;
  }

  onTestRunEnd(files: readonly FileResult[]): void {
    const skipped = new Map<string, number>();
    for (const file of files)
      for (const { name, children } of file.children.allSuites()) {
        const needs = /\[needs ([^\]]+)\]$/.exec(name)?.[1];
        if (needs === undefined) continue;
        skipped.set(needs, (skipped.get(needs) ?? 0) + [...children.allTests()].length);
      }
    for (const [needs, count] of skipped)
      this.#print(`Tests skipped: ${count}, which need ${needs}\n`);
  }
}
