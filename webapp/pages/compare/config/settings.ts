import { jsonText } from '../../../text/json-text.ts'

/** A setting of two configurations. Null where a configuration does not have it. */
export type Setting = { readonly path: string; readonly base: string | null; readonly head: string | null }

/** Settings that are compared; those after them are left out. */
const MAX_SETTINGS = 2_000

/** The values of a configuration by their paths: `source.commit`, `providers[0].id`. */
const leavesOf = (config: unknown): ReadonlyMap<string, string> => {
  const leaves = new Map<string, string>()
  const visit = (value: unknown, path: string): void => {
    if (leaves.size >= MAX_SETTINGS) return
    const entries: ReadonlyArray<readonly [string, unknown]> =
      typeof value === 'object' && value !== null
        ? Array.isArray(value)
          ? value.map((item: unknown, n) => [`${path}[${n}]`, item] as const)
          : Object.entries(value).map(([key, item]) => [path === '' ? key : `${path}.${key}`, item as unknown] as const)
        : []
    if (entries.length === 0) {
      if (value !== null && value !== undefined) leaves.set(path, typeof value === 'string' ? value : jsonText(value))
    } else for (const [name, item] of entries) visit(item, name)
  }
  visit(config, '')
  return leaves
}

/** All settings of two configurations: those that differ, and those that are the same. */
export const compareSettings = (
  base: unknown,
  head: unknown,
): { readonly other: Setting[]; readonly same: Setting[] } => {
  const [before, after] = [leavesOf(base), leavesOf(head)]
  const settings = [...new Set([...before.keys(), ...after.keys()])].map((path): Setting => ({
    path,
    base: before.get(path) ?? null,
    head: after.get(path) ?? null,
  }))
  return {
    other: settings.filter(({ base: one, head: two }) => one !== two),
    same: settings.filter(({ base: one, head: two }) => one === two),
  }
}
