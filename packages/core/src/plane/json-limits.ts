/** What {@link parseJson} accepts. */
export interface JsonLimits {
  /** Characters; default 16,777,216. */
  readonly maxLength?: number | undefined;
  /** Arrays and objects inside each other; default 127, the most that serde_json reads. */
  readonly maxDepth?: number | undefined;
}

/** Far above what a store takes as one value: etcd 1.5 MB, NATS 1 MB, Kubernetes 1.5 MB. */
export const maxJsonLength = 16_777_216;

/** serde_json refuses the 128th level, and with it the whole record. */
export const maxJsonDepth = 127;

/** A value within a record, within a Kubernetes object, must stay below {@link maxJsonDepth}. */
export const maxRawDepth = 120;
