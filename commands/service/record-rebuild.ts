import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { projectionRebuilt, type ProjectionRebuilt } from './events.ts'

/** Records that read models were replayed from the log, each up to a position. */
export const recordRebuild = (
  viewer: Viewer,
  { instance, rebuilt }: { readonly instance: string; readonly rebuilt: ReadonlyArray<ProjectionRebuilt['data']> },
) => command(viewer, { facts: {}, decide: () => rebuilt.map((data) => projectionRebuilt(instance, data)) })
