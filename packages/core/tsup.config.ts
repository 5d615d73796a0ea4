import { preset } from "../../tsup.preset.ts";

export default preset({ entry: ["src/index.ts", "src/prometheus.ts", "src/attributes.ts"] });
