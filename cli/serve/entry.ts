import type { Command } from 'commander'
import { preloadThread } from '../../runtime/threads/preload.ts'

// All that the rest of the program imports of `ers serve`. The build puts it and what it imports into files of their own
// (`cli/vite.config.ts`), so it shares no module with the other commands.

export const loadServe = async (): Promise<Command> => (await import('./serve.ts')).serveCommand()

/** Runs `ers serve`. Its writer thread starts first, before the options and the configuration have been read. */
export const runServe = async (description: string): Promise<void> => {
  preloadThread('writer')
  const { runServeArguments } = await import('./serve.ts')
  await runServeArguments(description)
}
