import { project } from "../../vitest.preset.ts";

export default project("discovery-k8s");
