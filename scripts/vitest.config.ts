import { project } from "../vitest.preset.ts";

export default project("scripts", ["**/*.test.ts"]);
