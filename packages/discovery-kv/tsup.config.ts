import { preset } from "../../tsup.preset.ts";

export default preset({
  entry: [
    "src/index.ts",
    "src/memory/index.ts",
    "src/file/index.ts",
    "src/etcd/index.ts",
    "src/nats/index.ts",
  ],
});
