/** What one package may reach for; anything not listed is a violation. */
export interface Boundary {
  /** Workspace packages, by folder name. */
  workspace: readonly string[];
  /** npm packages. */
  npm: readonly string[];
  /** Runs anywhere: no `node:` module either. */
  portable?: true;
  /** The folder of a portable package that may use `node:` modules: a subpath of its own. */
  nodeFolder?: string;
}

/** The table "Packages and arrows" of ARCHITECTURE.md. Folders of `packages/` without a row are violations. */
export const boundaries: Readonly<Record<string, Boundary>> = {
  core: { workspace: [], npm: [], portable: true },
  runtime: { workspace: ["core"], npm: ["zod", "yaml", "import-meta-resolve"] },
  "discovery-file": { workspace: ["core"], npm: ["zod", "yaml"] },
  "discovery-kv": {
    workspace: ["core"],
    npm: ["zod", "@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"],
  },
  "discovery-k8s": { workspace: ["core"], npm: ["@kubernetes/client-node", "zod"] },
  "source-prometheus": { workspace: ["core"], npm: ["zod"] },
  "extractors-metrics": { workspace: ["core"], npm: ["zod"], portable: true },
  "extractors-lora": { workspace: ["core"], npm: ["zod"], portable: true },
  sim: { workspace: ["core"], npm: ["hono"] },
  testkit: { workspace: ["core"], npm: [], portable: true, nodeFolder: "src/kubernetes" },
};

/** The range in which plugins and the runtime take core as a peer. */
export const corePeerRange = ">=0.1.0 <1.0.0";
