/**
 * Makes names different from all that were given before: of equal names, the second is `write(name, 2)`, and so on. The
 * number continues from the last one of the same name, so the steps grow linearly with the names, however many are equal.
 */
export const uniqueNames = (write: (name: string, number: number) => string): ((name: string) => string) => {
  const used = new Set<string>()
  const next = new Map<string, number>()
  return (name) => {
    let unique = name
    if (used.has(name)) {
      let number = next.get(name) ?? 2
      do unique = write(name, number++)
      while (used.has(unique))
      next.set(name, number)
    }
    used.add(unique)
    return unique
  }
}

/** How a second thing of one name is written in ids: `name#2`. */
export const numberedName = (name: string, number: number): string => `${name}#${number}`
