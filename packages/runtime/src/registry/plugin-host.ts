import {
  type Clock,
  createPluginContext,
  type Endpoint,
  type EndpointWriter,
  formatTypedName,
  type LogFields,
  type Logger,
  type Meter,
  type Plugin,
  type PluginContext,
  type PluginDefinition,
  type PluginKind,
  type PluginKinds,
  producedAttributes,
  silentLogger,
  typedName,
} from "@muster/core";

/** The runtime's endpoints, as a {@link PluginHost} hands them on to plugins. */
export interface HostedEndpoints {
  get(id: string): Endpoint | undefined;
  list(): readonly Endpoint[];
  byPod(namespace: string, podName: string): readonly Endpoint[];
  /** A handle that may write only the named attributes; `undefined` attributes: any. */
  writer(id: string, attributes: ReadonlySet<string> | undefined): EndpointWriter | undefined;
}

/** Options of {@link createPluginHost}. */
export interface PluginHostOptions {
  readonly logger?: Logger | undefined;
  readonly metrics?: Meter | undefined;
  readonly clock?: Clock | undefined;
}

/** Which plugin a {@link PluginHost} is to make. */
export interface PluginRequest<Kind extends PluginKind> {
  readonly definition: PluginDefinition<Kind>;
  /** Default: the definition's type. */
  readonly name?: string | undefined;
  readonly config?: unknown;
}

/**
 * Makes plugins from their definitions and gives each its context. It exists before the runtime
 * whose endpoints the plugins will see: until `bind`, they see none.
 */
export interface PluginHost {
  /**
   * Makes an instance whose log lines carry the field `plugin`.
   *
   * @throws MusterError CONFIG_INVALID or PLUGIN_CREATE, as the definition's `create`.
   */
  create<Kind extends PluginKind>(request: PluginRequest<Kind>): PluginKinds[Kind];
  /** From now on every plugin sees these endpoints. Called by the runtime. */
  bind(endpoints: HostedEndpoints): void;
  /** Aborts the signal in every context. Called by the runtime when it stops. */
  close(): void;
}

/** Makes a host; share it between `loadConfig` and `createRuntime`. */
export function createPluginHost(options: PluginHostOptions = {}): PluginHost {
  // one each: a signal shared by many plugins is one with too many listeners
  const closing: AbortController[] = [];
  let endpoints: HostedEndpoints | undefined;
  let closed = false;
  const signal = (): AbortSignal => {
    const controller = new AbortController();
    if (closed) controller.abort();
    closing.push(controller);
    return controller.signal;
  };
  const contextOf = (
    request: PluginRequest<PluginKind>,
    self: () => Plugin | undefined,
  ): PluginContext =>
    createPluginContext({
      ...(request.name !== undefined && { name: request.name }),
      logger: labelled(options.logger ?? silentLogger, request),
      ...(options.metrics && { metrics: options.metrics }),
      ...(options.clock && { clock: options.clock }),
      signal: signal(),
      endpoints: {
        get: (id) => endpoints?.get(id),
        list: () => endpoints?.list() ?? [],
        byPod: (namespace, podName) => endpoints?.byPod(namespace, podName) ?? [],
        writer(id) {
          const plugin = self();
          return plugin && endpoints?.writer(id, producedAttributes(plugin));
        },
      },
    });
  return Object.freeze({
    create<Kind extends PluginKind>(request: PluginRequest<Kind>): PluginKinds[Kind] {
      let made: PluginKinds[Kind] | undefined;
      const context = contextOf(request, () => made);
      made = request.definition.create(request.config, context);
      return made;
    },
    bind(bound: HostedEndpoints): void {
      endpoints = bound;
    },
    close(): void {
      closed = true;
      for (const controller of closing) controller.abort();
    },
  });
}

function labelled(logger: Logger, request: PluginRequest<PluginKind>): Logger {
  const plugin = formatTypedName(typedName(request.definition.type, request.name));
  const label = (fields: LogFields): LogFields => ({ plugin, ...fields });
  return Object.freeze({
    debug: (fields: LogFields, message: string) => logger.debug(label(fields), message),
    info: (fields: LogFields, message: string) => logger.info(label(fields), message),
    warn: (fields: LogFields, message: string) => logger.warn(label(fields), message),
    error: (fields: LogFields, message: string) => logger.error(label(fields), message),
  });
}
