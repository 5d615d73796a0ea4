declare const payloadType: unique symbol;

/**
 * Names the payload of a polling source and carries its type; made by {@link payloadToken}. A source
 * says which token it gives, an extractor which it takes; tokens compare by name, so two copies of a
 * package agree.
 */
export interface PayloadToken<P> {
  readonly name: string;
  readonly [payloadType]?: P;
}

/** Makes a token. Use a name nobody else would: `prometheus`, `acme/power-readings`. */
export function payloadToken<P>(name: string): PayloadToken<P> {
  return Object.freeze({ name });
}

/** Whether both name the same payload. */
export function equalPayloadTokens(a: PayloadToken<unknown>, b: PayloadToken<unknown>): boolean {
  return a.name === b.name;
}
