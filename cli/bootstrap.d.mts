import type { ChildProcess, StdioOptions } from 'node:child_process'

type Packages = { packages: Record<string, { version?: string; integrity?: string; optional?: boolean }> }
type Machine = { version: string; execPath: string; platform: string; arch: string; modules: string }

export class UserError extends Error {}
export const isInstalled: (lock: Packages, installed: Packages) => boolean
export const findNode: (machine: Machine, exists?: (path: string) => boolean) => string
export const thisNode: () => string
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
export const postgresInstall: (machine: {
  platform: string
  uid: number | undefined
  path: string
  exists?: (path: string) => boolean
  list?: (path: string) => string[]
}) => { settings: { file: string; text: string }; commands: string[][] } | null
export const WEB_SOURCES: readonly string[]
export const PROGRAM_SOURCES: readonly string[]
export const isWebBuilt: (checkout: string) => boolean
export const isProgramBuilt: (checkout: string) => boolean
export const findBrowser: (env: Record<string, string | undefined>, exists?: (path: string) => boolean) => string | null
export const freePort: (port: number, command?: string) => Promise<number>
export const ALLOCATOR: Readonly<Record<string, string>>
export const relay: (
  node: string,
  args: string[],
  options?: { env?: NodeJS.ProcessEnv; cwd?: string; started?: (child: ChildProcess) => unknown; stdio?: StdioOptions },
) => Promise<number>
