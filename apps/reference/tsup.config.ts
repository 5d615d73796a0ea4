import { preset } from "../../tsup.preset.ts";

export default preset({ entry: ["src/cli.ts"], dts: false });
