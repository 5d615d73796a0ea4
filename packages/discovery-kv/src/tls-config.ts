import * as z from "zod";

/** TLS to a store's server; texts are PEM, files are read again when they change. */
export interface StoreTlsConfig {
  /** CA certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  readonly caPath?: string | undefined;
  /** Client certificate, with its key. */
  readonly cert?: string | undefined;
  readonly certPath?: string | undefined;
  readonly key?: string | undefined;
  readonly keyPath?: string | undefined;
  /** The name that the server's certificate must carry, where it is not the one connected to. */
  readonly serverName?: string | undefined;
}

const path = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .min(1)
    .max(4096)
    .refine((text) => !text.includes("\0"), "must not hold a NUL character")
    .optional()
    .describe(`Path of ${what}, PEM; read again when it changes.`);
const pem = (what: string): z.ZodOptional<z.ZodString> =>
  z
    .string()
    .max(1_000_000)
    .refine((text) => text.includes("-----BEGIN "), "must be PEM; a path goes into …Path")
    .optional()
    .describe(`${what}, PEM.`);

const tlsField: z.ZodType<StoreTlsConfig, StoreTlsConfig> = z
  .strictObject({
    ca: pem("CA certificates to trust instead of the system's"),
    caPath: path("the CA certificates"),
    cert: pem("Client certificate"),
    certPath: path("the client certificate"),
    key: pem("Key of the client certificate").meta({ writeOnly: true }),
    keyPath: path("the client certificate's key"),
    serverName: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("The name that the server's certificate must carry."),
  })
  .superRefine((value, context) => {
    for (const name of ["ca", "cert", "key"] as const)
      if (value[name] !== undefined && value[`${name}Path`] !== undefined)
        context.addIssue(`${name} and ${name}Path exclude each other`);
    const [cert, key] = [value.cert ?? value.certPath, value.key ?? value.keyPath];
    if ((cert === undefined) !== (key === undefined))
      context.addIssue("a client certificate and its key are given together");
  });

/** TLS settings, or whether to use TLS at all; of an object its own problems are told, not the union's. */
export const tlsOrBoolean: z.ZodType<StoreTlsConfig | boolean, StoreTlsConfig | boolean> = z.union(
  [tlsField, z.boolean()],
  {
    error: (issue) => {
      const nested = (issue as { readonly errors?: readonly (readonly z.core.$ZodIssue[])[] })
        .errors;
      const [first] = nested?.[0] ?? [];
      return first && [...first.path, first.message].join(": ");
    },
  },
);
