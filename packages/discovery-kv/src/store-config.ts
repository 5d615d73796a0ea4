import type { StandardSchema } from "@muster/core";
import * as z from "zod";
import { type EtcdStoreConfig, etcdConfigSchema } from "./etcd/config.ts";
import { type FileStoreConfig, fileStoreSchema } from "./file/config.ts";
import { type MemoryStoreConfig, memoryStoreSchema } from "./memory/config.ts";
import { type NatsStoreConfig, natsConfigSchema } from "./nats/config.ts";

/** A store by its type, with the configuration of that type. */
export type StoreConfig =
  | ({ readonly type: "memory" } & MemoryStoreConfig)
  | ({ readonly type: "file" } & FileStoreConfig)
  | ({ readonly type: "etcd" } & Omit<EtcdStoreConfig, "leaseId">)
  | ({ readonly type: "nats" } & Omit<NatsStoreConfig, "connectionId">);

const schemas: Readonly<Record<StoreConfig["type"], StandardSchema<unknown, unknown>>> = {
  memory: memoryStoreSchema,
  file: fileStoreSchema,
  etcd: etcdConfigSchema,
  nats: natsConfigSchema,
};
const types = Object.keys(schemas) as StoreConfig["type"][];

/** Numbers of 64 bits, which JSON and YAML do not hold: for programs only. */
const identities = ["leaseId", "connectionId"];

/**
 * Checks a {@link StoreConfig} with the schema of its type, and gives it as it was: defaults belong to
 * the store. Its problems name the keys of that type alone, which a union's would not.
 */
export const storeSchema: z.ZodType<StoreConfig, StoreConfig> = z
  .unknown()
  .superRefine((given, context) => {
    const problem = (message: string, path: PropertyKey[]): void =>
      context.addIssue({ code: "custom", message, path });
    if (typeof given !== "object" || given === null) return problem("must be an object", []);
    const { type, ...config } = given as StoreConfig & Record<string, unknown>;
    if (!types.includes(type)) return problem(`must be one of ${types.join(", ")}`, ["type"]);
    for (const name of identities)
      if (Object.hasOwn(config, name)) problem("cannot be configured", [name]);
    const result = schemas[type]["~standard"].validate(config);
    if (result instanceof Promise) throw new TypeError(`the schema of ${type} must not wait`);
    for (const { message, path = [] } of result.issues ?? [])
      problem(
        message,
        path.map((part) => (typeof part === "object" ? part.key : part)),
      );
  })
  .meta({
    description: "Where the records are.",
    oneOf: types.map((type) => jsonSchema(type, schemas[type])),
  }) as z.ZodType<unknown, unknown> as z.ZodType<StoreConfig, StoreConfig>;

/** The JSON Schema of one type of store, with its `type`. */
function jsonSchema(type: string, schema: StandardSchema<unknown, unknown>): object {
  // without the option zod throws for the identities, which are left out below
  const options = { target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } } as const;
  const { $schema: _, ...own } = schema["~standard"].jsonSchema?.input(options) ?? {};
  const properties = Object.entries((own.properties ?? {}) as object);
  const required = (own.required ?? []) as string[];
  return {
    ...own,
    properties: {
      type: { const: type, description: `Store: ${type}.` },
      ...Object.fromEntries(properties.filter(([name]) => !identities.includes(name))),
    },
    required: ["type", ...required],
  };
}
