import { isAddress } from "@muster/core";
import { InvalidArgumentError, Option } from "commander";

/** Reads a port, 0 for any free one. */
function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new InvalidArgumentError("a port is a number from 0 (any free one) to 65535");
}

/** Reads text that says something. */
export function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("it is empty");
}

/** Reads a whole number from 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number from 1");
}

/** Reads a number above 0. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (/^[\d.]+$/.test(text) && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("give a number above 0");
}

function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (isAddress(host)) return host;
  throw new InvalidArgumentError("give an IPv4 or IPv6 address or a host name");
}

/** `--host`. */
export function hostOption(): Option {
  return new Option("--host <address>", "address to listen on").argParser(parseHost);
}

/** `--port`. */
export function portOption(): Option {
  return new Option("--port <number>", "port to listen on; 0 takes any free one").argParser(
    parsePort,
  );
}

/** `--log-level`. */
export function logLevelOption(preset: string): Option {
  return new Option("--log-level <level>", "least level to log")
    .choices(["debug", "info", "warn", "error", "silent"])
    .default(preset);
}

/** `--config`. */
export function configOption(): Option {
  return new Option(
    "--config <file>",
    "configuration: a MusterConfig or an EndpointPickerConfig, YAML or JSON",
  );
}
