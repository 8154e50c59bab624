type Assert = { readonly kind: string }

/**
 * Pairs assertions by position if both cases list the same kinds in the same order. Otherwise it pairs only the kinds
 * that each case has once, which are unambiguous.
 */
export const pairAsserts = <A extends Assert>(base: readonly A[], head: readonly A[]): Array<[A, A]> => {
  const haveSameKinds = base.length === head.length && base.every(({ kind }, n) => kind === head[n]?.kind)
  const partner = haveSameKinds ? (_: A, n: number) => head[n] : uniqueByKind(base, head)

  return base.flatMap((before, n) => {
    const after = partner(before, n)
    return after ? [[before, after]] : []
  })
}

const uniqueByKind = <A extends Assert>(base: readonly A[], head: readonly A[]) => {
  const inBase = Map.groupBy(base, ({ kind }) => kind)
  const inHead = Map.groupBy(head, ({ kind }) => kind)
  return ({ kind }: A) =>
    inBase.get(kind)?.length === 1 && inHead.get(kind)?.length === 1 ? inHead.get(kind)?.[0] : undefined
}
