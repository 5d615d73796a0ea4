import { formatPlain } from "@muster/core";

/** What is wrong with a label, and whether the entry can still be used. */
export interface LabelProblem {
  readonly message: string;
  readonly usable: boolean;
}

// Kubernetes, "Labels and Selectors": syntax and character set
const prefixRule = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const nameRule = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?$/;
const maxPrefix = 253;
const maxName = 63;

/**
 * Checks a label by Kubernetes' rules. Lengths and control characters are binding; other characters
 * that Kubernetes refuses (a model name's slash) are only pointed out, since files also describe
 * fleets outside of it.
 */
export function checkLabel(key: string, value: string): LabelProblem | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  const unusable = (message: string): LabelProblem => ({ message, usable: false });
  const odd = (message: string): LabelProblem => ({ message, usable: true });
  if (name.length === 0 || prefix?.length === 0) return unusable("a part of the key is empty");
  if (name.length > maxName) return unusable(`the key's name is longer than ${maxName} characters`);
  if (prefix !== undefined && prefix.length > maxPrefix)
    return unusable(`the key's prefix is longer than ${maxPrefix} characters`);
  if (value.length > maxName) return unusable(`the value is longer than ${maxName} characters`);
  if (/\p{Cc}/u.test(key + value))
    return unusable("key and value must not have control characters");
  if (!nameRule.test(name) || (prefix !== undefined && !prefixRule.test(prefix)))
    return odd("Kubernetes would refuse this key");
  if (value !== "" && !nameRule.test(value))
    return odd(`Kubernetes would refuse the value ${formatPlain(value)}`);
  return undefined;
}
