import { LRUCache } from 'lru-cache'
import type { Limit, Viewer } from '../../queries/access/viewer.ts'
import { findViewerClass, type ViewerClass } from '../../queries/access/viewer-class.ts'
import type { Services } from '../services.ts'

/** Maximum number of viewers whose class is cached. If a class is not cached, a short query reads it. */
const MAX_VIEWERS = 1_000

/** What decides which rows a viewer sees. */
export type ViewerKey = { readonly sees_all: boolean; readonly user_id: string | null; readonly limit: Limit | null }

export type ViewerClasses = {
  /** The cached class if it is still valid; undefined if it must be read. */
  readonly find: (viewer: ViewerKey) => ViewerClass | undefined
  /** Reads the class. It may be invalidated during the read, so call `find` again. */
  readonly read: (viewer: Viewer) => Promise<void>
}

/** The classes of viewers, each cached until access changes. */
export const viewerClasses = ({ cache, reader }: Pick<Services, 'cache' | 'reader'>): ViewerClasses => {
  const classes = new LRUCache<string, { readonly generation: number; readonly viewerClass: ViewerClass }>({
    max: MAX_VIEWERS,
  })
  return {
    find: (viewer) => {
      const found = classes.get(viewerName(viewer))
      return found && cache.isValid(found.generation, []) ? found.viewerClass : undefined
    },
    read: async (viewer) => {
      const generation = cache.generation()
      const found = await reader.read(findViewerClass(viewer))
      classes.set(viewerName(viewerKey(viewer)), {
        generation,
        viewerClass: {
          ...found,
          restrictions: found.restrictions && cache.distinguish(found.restrictions),
        },
      })
    },
  }
}

/** Viewers who see everything share one class; so do viewers without an account, and an account's keys with one limit. */
export const viewerName = ({ sees_all, user_id, limit }: ViewerKey): string =>
  sees_all
    ? 'all'
    : user_id === null
      ? 'no account'
      : limit
        ? `limited ${limitedName(user_id, limit)}`
        : `user ${user_id}`

const limitedName = (user_id: string, { project, suite, all }: Limit): string =>
  JSON.stringify([user_id, project, suite, all])

export const viewerKey = ({ sees_all, actor, limit = null }: Viewer): ViewerKey => ({
  sees_all,
  user_id: actor.user_id,
  limit,
})
