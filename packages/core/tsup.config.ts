import { preset } from "../../tsup.preset.ts";

export default preset({
  entry: [
    "src/index.ts",
    "src/prometheus/index.ts",
    "src/attributes/index.ts",
    "src/dispatch/index.ts",
    "src/plane/index.ts",
  ],
});
