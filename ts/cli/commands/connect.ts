/** `connect`: only Node and the module itself, since every viewer over ssh waits for its start. */
import type { World } from "#cli/world.ts";

/** Ends the process with connect's own exit code. */
export async function connect(world: World): Promise<void> {
  const { runConnect } = await import("#connect/connect.ts");
  process.exitCode = await runConnect({
    home: world.paths.device,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  // Standard input may still be open, and would keep us.
  process.stdin.destroy();
}
