import { asciiLowerCase } from './roles.ts'

/** What a provider's group gives: a level on a project (suite null) or on one suite of it. */
export type GroupGrant<Level extends string = string> = {
  readonly group: string
  readonly project: string
  readonly suite: string | null
  readonly level: Level
}

/** The parts of `a:b:c`, each with what is written as `%3A` and the like; null unless there are exactly `count`, none empty. */
const partsOf = (entry: string, separator: string, count: number): string[] | null => {
  try {
    const parts = entry.split(separator).map((part) => decodeURIComponent(part))
    return parts.length === count && parts.every((part) => part !== '') ? parts : null
  } catch {
    return null
  }
}

const one = <Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined =>
  values.find((value) => value === asciiLowerCase(text ?? ''))

/** Parses `group:role`; null for another text. */
export const parseGroupRole = <Role extends string>(
  entry: string,
  roles: readonly Role[],
): { readonly group: string; readonly role: Role } | null => {
  const [group, name] = partsOf(entry, ':', 2) ?? []
  const role = one(name, roles)
  return group === undefined || role === undefined ? null : { group, role }
}

/** Parses `group:project:level` or `group:project/suite:level`; null for another text. */
export const parseGroupGrant = <Level extends string>(
  entry: string,
  levels: readonly Level[],
): GroupGrant<Level> | null => {
  const [group, scope = '', name] = entry.split(':').length === 3 ? entry.split(':') : []
  const level = one(name, levels)
  const [decoded] = partsOf(group ?? '', '\0', 1) ?? []
  const names = partsOf(scope, '/', scope.includes('/') ? 2 : 1)
  const [project, suite = null] = names ?? []
  if (decoded === undefined || project === undefined || level === undefined) return null
  return { group: decoded, project, suite, level }
}

/** The grants of the member of some groups: on each project or suite the highest level. `levels` is in rising order. */
export const grantsOfGroups = <Level extends string>(
  groups: readonly string[],
  rules: ReadonlyArray<GroupGrant<Level>>,
  levels: readonly Level[],
): Array<Omit<GroupGrant<Level>, 'group'>> => {
  const granted = new Map<string, Omit<GroupGrant<Level>, 'group'>>()
  for (const { group, project, suite, level } of rules) {
    if (!groups.includes(group)) continue
    const key = JSON.stringify([project, suite])
    const known = granted.get(key)
    if (!known || levels.indexOf(level) > levels.indexOf(known.level)) granted.set(key, { project, suite, level })
  }
  return [...granted.values()]
}
