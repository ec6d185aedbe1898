/** What stands in the `x-api-key` header. Several lines are not joined: a proxy in front may have added one. */
export type PresentedKey =
  | { readonly kind: "absent" }
  | { readonly kind: "several" }
  | { readonly kind: "one"; readonly text: string };

const KEY_HEADER = "x-api-key";

/** Reads the key from Node's raw header list (name, value, name, value …), where repeated lines still show. */
export function readApiKeyHeader(rawHeaders: readonly string[]): PresentedKey {
  let text: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== KEY_HEADER.length || name.toLowerCase() !== KEY_HEADER) continue;
    if (text !== undefined) return { kind: "several" };
    text = rawHeaders[index + 1] ?? "";
  }
  if (text === undefined || text.trim() === "") return { kind: "absent" };
  return { kind: "one", text };
}
