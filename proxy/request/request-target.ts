/** `http://host` of an absolute-form target, which the router takes off as well. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path of a request target as it was sent, undecoded, and its query. The router splits at the same two characters. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.replace(ORIGIN, "");
  const end = local.search(/[?#]/);
  if (end === -1) return { path: local, query: "" };
  return { path: local.slice(0, end), query: local.slice(end + 1) };
}

/** Whether a target that no route matched lies under `/v1`, where the key comes first. */
export function isUnderApi(target: string): boolean {
  const { path } = splitTarget(target);
  return path === "/v1" || path.startsWith("/v1/");
}
