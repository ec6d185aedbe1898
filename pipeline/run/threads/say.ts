import type { Transferable } from "node:worker_threads";

/** How a task speaks with whoever gave it, before its end. What is transferred is given away. */
export interface Say {
  tell(body: unknown, transfer?: readonly Transferable[]): void;
  ask(body: unknown, transfer?: readonly Transferable[]): Promise<unknown>;
}
