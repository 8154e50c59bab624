import { writeFileSync } from 'node:fs'
import { verifyDirectory } from '../../../cli/store/verify.ts'
import { freshFolder, onFile, putCopy } from '../stores/store.ts'
import { MUTATIONS, type Harmless, type Mutation } from './mutated-history.ts'
import type { Draw } from './mutated-columns.ts'
import { rootIn } from './tampered-store.ts'
import { filesBeside, readBeside, wholeStore, type WholeStore } from './whole-store.ts'

type Anchor = { readonly size: number; readonly root: string }

/** What `ers verify` says to changed copies of one store. */
export type MutatedStores = {
  readonly store: WholeStore
  /** The folder and the file of the copy. */
  readonly dir: string
  readonly file: string
  /** The head of the store. */
  readonly anchor: Anchor
  readonly putStore: () => void
  readonly findingOf: (anchors?: readonly Anchor[]) => ReturnType<typeof findingIn>
  /** Changes a fresh copy. Returns whether anything was changed. */
  readonly apply: (mutation: Mutation, draw: Draw) => Promise<boolean>
  /** What was not found as it should be; null if all is well, undefined if nothing was changed. */
  readonly missed: (mutation: Mutation, draw: Draw) => Promise<unknown>
  /** Does harmless things to a fresh copy, compares it with heads of these sizes, and returns what is found. */
  readonly alarm: (acts: readonly Harmless[], sizes: readonly number[], draw: Draw) => ReturnType<typeof findingIn>
  readonly remove: () => void
}

const findingIn = async (dir: string, anchors: readonly Anchor[], trust: WholeStore['policy']) =>
  (await verifyDirectory(dir, anchors, undefined, { trust })).finding

const isConstraint = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(String(error.code))

/** Makes a store with a record of every type, and a folder for its copies. */
export const openMutatedStores = async (): Promise<MutatedStores> => {
  const made = freshFolder()
  const { dir, file, remove } = freshFolder()
  const store = await wholeStore(made.dir)
  const beside = readBeside(store.file)
  const size = onFile(store.file, (database) => database.prepare('SELECT max(seq) FROM events').pluck().get() as number)
  const anchorAt = (at: number): Anchor => ({ size: at, root: rootIn(store.file, at).toString('hex') })
  const anchor = anchorAt(size)

  const putStore = (): void => {
    putCopy(store.file, file)
    const { head, guard } = filesBeside(file)
    writeFileSync(head, beside.head)
    writeFileSync(guard, beside.guard)
  }
  const findingOf = (anchors: readonly Anchor[] = []) => findingIn(dir, anchors, store.policy)
  const apply: MutatedStores['apply'] = async (mutation, draw) => {
    putStore()
    try {
      return await mutation.apply({ file, store, draw })
    } catch (error) {
      // A key that another row has. A constraint that was dropped is a finding about the schema.
      if (isConstraint(error)) return false
      throw error
    }
  }

  return {
    store,
    dir,
    file,
    anchor,
    putStore,
    findingOf,
    apply,
    missed: async (mutation, draw) => {
      if (!(await apply(mutation, draw))) return undefined
      const finding = await findingOf()
      if (finding !== null) return mutation.found.includes(finding.kind) ? null : finding
      if (mutation.isHarmless === true) return null
      if (!mutation.found.includes(null)) return 'no finding'
      return (await findingOf([anchor])) === null ? 'no finding, not even with an anchor' : null
    },
    alarm: async (acts, sizes, draw) => {
      putStore()
      for (const { act } of acts) act({ file, store, draw })
      const { policy } = store.policy
      return findingIn(dir, sizes.map(anchorAt), { keys: [], policy: policy && { ...policy, quorum: null } })
    },
    remove: () => {
      made.remove()
      remove()
    },
  }
}

/** All kinds of change, one after the other. */
export const ALL_MUTATIONS: readonly Mutation[] = Object.values(MUTATIONS).flat()
