/** A node's own refusal of one call. Its words are the node's: they are read to go on, and never shown. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** The JSON-RPC code, or 413 where the HTTP status said it, or an answer did not come. */
  readonly code: number;
  /** What the node said, for finding hints; may hold anything, an access key too. */
  readonly detail: string;

  constructor(method: string, code: number, detail: string) {
    super(`the node refused ${method} with code ${code}`);
    this.code = code;
    this.detail = detail;
  }
}
