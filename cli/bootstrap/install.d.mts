type Packages = { packages: Record<string, { version?: string; integrity?: string; optional?: boolean }> }
type Output = { isTTY?: boolean; write: (text: string) => unknown }

export const isInstalled: (lock: Packages, installed: Packages) => boolean
export const packagePaths: (
  lock: { packages: Record<string, { os?: string[]; cpu?: string[] }> },
  machine: { platform: string; arch: string },
) => string[]
export const showInstalling: (
  root: string,
  paths: readonly string[],
  options?: { stderr?: Output; everyMs?: number; quietMs?: number },
) => () => void
