import { spawnSync } from "node:child_process";

/** Whether strace is here and may look into a process of ours. */
export function canStrace(): boolean {
  return spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;
}
