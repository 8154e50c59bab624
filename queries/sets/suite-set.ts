import { z } from 'zod'
import { setKey } from '../../domain/sets.ts'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import type { Suite } from './baselines.ts'

const SetKey = z.object({ set_key: z.string() })

/** The key of a suite; null if it has no run, or if the viewer may not see it. */
export const findSet = (viewer: Viewer, { project, suite }: Suite): Query<string | null> =>
  mapped(
    maybeOne(
      sql.type(SetKey)`
        SELECT set_key FROM sets WHERE set_key = ${setKey({ project, suite })} AND ${visible(viewer, 'sets')}`,
    ),
    (row) => row?.set_key ?? null,
  )
