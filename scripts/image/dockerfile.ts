/** One line of a Dockerfile, continued lines joined. */
export interface Instruction {
  /** In capitals. */
  readonly name: string;
  readonly text: string;
}

/** What a `FROM` begins. */
export interface Stage {
  /** The image it starts from. */
  readonly from: string;
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads as much of a Dockerfile's syntax as ours uses. @throws Error for a line that is no instruction */
export function parseDockerfile(text: string): Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const lines = text.replace(/^\s*#.*\n/gm, "").replace(/\\\n\s*/g, "");
  for (const line of lines.split("\n").filter((it) => it.trim() !== "")) {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`no instruction: ${line}`);
    const [, from, as] = name === "FROM" ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : [];
    if (from !== undefined) stages.push({ from, as, instructions: [] });
    else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`);
      stage.instructions.push({ name, text: rest });
    }
  }
  return stages;
}

/** The value of the last instruction of a name in a stage. */
export function lastOf({ instructions }: Stage, name: string): string {
  const found = instructions.filter((it) => it.name === name).at(-1);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.text;
}

/** An `ENTRYPOINT` or `CMD` that needs no shell. @throws SyntaxError when it is in shell form */
export function execForm(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Whether a `.dockerignore` leaves a path out; of its patterns, names and `**` before a name. */
export function ignores(dockerignore: string): (path: string) => boolean {
  const lines = dockerignore.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const patterns = lines.map((line) => {
    const [, anywhere, name = ""] = /^(\*\*\/)?([\w.-]+\*?)$/.exec(line) ?? [];
    if (name === "") throw new Error(`.dockerignore: not understood: ${line}`);
    const start = anywhere === undefined ? "^" : "(^|/)";
    return new RegExp(`${start}${name.replaceAll(".", "\\.").replace("*", "[^/]*")}(/|$)`);
  });
  return (path) => patterns.some((pattern) => pattern.test(path));
}
