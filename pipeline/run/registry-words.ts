import type { RegistryInForce } from "./home.ts";

/** The registry in force as a person is told of it, without a path of this machine. */
export function registryWords({ file, origin }: RegistryInForce): string {
  if (origin === "named") return `${file}, named by --registry`;
  return origin === "home" ? `${file} of the home` : `${file} that comes with the program`;
}
