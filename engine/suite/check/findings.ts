import type { Path } from '../issues.ts'

/** Where checks report what they find. */
export type Findings = {
  readonly error: (path: Path, message: string) => void
  readonly warning: (path: Path, message: string) => void
}

/** An entry of a list with its place, where refused entries are left out. */
export type Numbered<T> = { readonly value: T; readonly index: number }
