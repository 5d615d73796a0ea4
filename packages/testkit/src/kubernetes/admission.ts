import { type ApiObject, isJsonObject, type JsonObject } from "./api-object.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";
import { badRequest, invalid } from "./status.ts";

const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** Roles and bindings take nearly any name. */
const anyName = /^[^/%]+$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/**
 * What an API server refuses: another kind than the path says, names and labels that are none, pods
 * without containers, custom resources that miss what their schema requires.
 *
 * @throws StatusError
 */
export function admit(type: ResourceType, object: JsonObject): void {
  const { kind, apiVersion, metadata } = object;
  if (kind !== type.kind || apiVersion !== apiVersionOf(type))
    throw badRequest(
      `the object (${String(apiVersion)} ${String(kind)}) is not of the kind of the path (${apiVersionOf(type)} ${type.kind})`,
    );
  if (!isJsonObject(metadata)) throw badRequest("metadata is missing");
  checkName(type, metadata);
  checkLabels(type, metadata);
  const what = `${type.kind} "${String(metadata.name)}"`;
  if (type.kind === "Pod") checkPod(what, object);
  if (type.schema !== undefined) checkSchema(object, type.schema, { what, path: "" });
}

function checkName({ kind, group }: ResourceType, { name }: JsonObject): void {
  const pattern = group === "rbac.authorization.k8s.io" ? anyName : dnsName;
  if (typeof name !== "string" || name.length > 253 || !pattern.test(name))
    throw invalid(`${kind} "${String(name)}"`, "metadata.name: Invalid value");
}

function checkLabels({ kind }: ResourceType, { name, labels, annotations }: JsonObject): void {
  const what = `${kind} "${String(name)}"`;
  for (const [field, map] of Object.entries({ labels, annotations })) {
    if (map === undefined || map === null) continue;
    if (!isJsonObject(map)) throw badRequest(`metadata.${field} is no object`);
    for (const [key, value] of Object.entries(map)) {
      if (typeof value !== "string") throw badRequest(`metadata.${field}.${key} is no string`);
      if (field === "labels" && (value.length > 63 || !labelValue.test(value)))
        throw invalid(what, `metadata.labels: Invalid value: "${value}"`);
    }
  }
}

function checkPod(what: string, { spec }: JsonObject): void {
  const containers = isJsonObject(spec) ? spec.containers : undefined;
  if (!Array.isArray(containers) || containers.length === 0)
    throw invalid(what, "spec.containers: Required value");
  for (const container of containers)
    if (!isJsonObject(container) || !container.name || !container.image)
      throw invalid(what, "spec.containers: a container has a name and an image");
}

interface Place {
  readonly what: string;
  readonly path: string;
}

/** Of an OpenAPI schema: types, required fields, enumerations. */
function checkSchema(value: unknown, schema: JsonObject, { what, path }: Place): void {
  const { type, required, properties, items } = schema;
  if (typeof type === "string" && !isOfType(value, type))
    throw invalid(what, `${path || "the object"}: must be of type ${type}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    throw invalid(what, `${path}: Unsupported value`);
  if (Array.isArray(value) && isJsonObject(items))
    for (const [index, item] of value.entries())
      checkSchema(item, items, { what, path: `${path}[${index}]` });
  if (!isJsonObject(value)) return;
  for (const name of Array.isArray(required) ? required : [])
    if (value[String(name)] === undefined)
      throw invalid(what, `${join(path, String(name))}: Required value`);
  for (const [name, part] of Object.entries(isJsonObject(properties) ? properties : {}))
    if (value[name] !== undefined && value[name] !== null && isJsonObject(part))
      checkSchema(value[name], part, { what, path: join(path, name) });
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "object") return isJsonObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value) || typeof value === "bigint";
  return typeof value === type;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Fields the schema does not know are not kept, unless it says that they are. */
export function prune(type: ResourceType, object: JsonObject): JsonObject {
  if (type.schema === undefined) return object;
  const { apiVersion, kind, metadata, ...rest } = object;
  return { apiVersion, kind, metadata, ...pruned(rest, type.schema) };
}

function pruned(value: JsonObject, schema: JsonObject): JsonObject {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return value;
  const { properties, additionalProperties } = schema;
  if (isJsonObject(additionalProperties) || !isJsonObject(properties)) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const known = properties[key];
    if (!isJsonObject(known)) return [];
    return [[key, isJsonObject(part) ? pruned(part, known) : part]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** What the server, and the controllers that come with it, fill in. */
export function withDefaults(object: ApiObject): ApiObject {
  if (object.kind === "Pod" && !isJsonObject(object.status))
    return { ...object, status: { phase: "Pending" } };
  if (object.kind !== "CustomResourceDefinition" || isJsonObject(object.status)) return object;
  const { names } = isJsonObject(object.spec) ? object.spec : {};
  const conditions = ["NamesAccepted", "Established"].map((type) => ({ type, status: "True" }));
  return { ...object, status: { conditions, acceptedNames: names } };
}
