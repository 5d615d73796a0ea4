/** What can be filled in: where the endpoint serves, and what its record is called. */
export const placeholders = ["host", "port", "namespace", "component", "endpoint", "id"] as const;

/** One of {@link placeholders}. */
export type Placeholder = (typeof placeholders)[number];

/** Values to fill in; host and port are undefined for an endpoint that has no address. */
export type TemplateValues = Readonly<Record<Placeholder, string | undefined>>;

const token = /\{([^{}]*)\}/g;

/** What is wrong with a template; undefined when it can be used. */
export function templateProblem(template: string): string | undefined {
  const known: readonly string[] = placeholders;
  for (const [, name = ""] of template.matchAll(token))
    if (!known.includes(name)) return `{${name}} is none of {${placeholders.join("}, {")}}`;
  return /[{}]/.test(template.replaceAll(token, "")) ? "has a single brace" : undefined;
}

/** A template with its placeholders replaced; undefined when it needs a value that there is not. */
export function fillTemplate(
  template: string,
  values: TemplateValues,
  encode: (value: string, name: Placeholder) => string,
): string | undefined {
  let missing = false;
  const text = template.replaceAll(token, (_match, name: Placeholder) => {
    const value = values[name];
    if (value === undefined) missing = true;
    return value === undefined ? "" : encode(value, name);
  });
  return missing ? undefined : text;
}
