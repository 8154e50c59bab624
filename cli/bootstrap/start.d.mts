export const startOptions: (
  args: string[],
  env: Record<string, string | undefined>,
) => { port: number; dataDir: string; rest: string[] }
export const localToken: (file: string) => string
export const tokenIn: (folder: string) => string
export const nextSteps: (
  url: string,
  tokenFile: string | null,
  dataDir: string,
  options?: { runs?: number | null; hasKeys?: boolean },
) => string
export const logOptions: (env: Record<string, string | undefined>, isTerminal: boolean) => string[]
export const freePort: (port: number, command?: string) => Promise<number>
