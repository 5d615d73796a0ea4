const maxLength = 300;

/** Somebody else's words for a message: shortened, on one line, without control characters. */
export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  if (clean === "") return "(no message)";
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
