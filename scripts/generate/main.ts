import { writeFileSync } from "node:fs";
import { generate } from "./outputs.ts";

const { files, problems } = await generate();
for (const [file, content] of files) writeFileSync(file, content);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
