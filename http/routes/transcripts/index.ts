import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import type { Route } from '../route.ts'
import { findInTranscriptRoute } from './find-in-transcript.ts'
import { getTranscriptEventRoute } from './get-transcript-event.ts'
import { getTranscriptRoute } from './get-transcript.ts'
import { listTranscriptEventsRoute } from './list-transcript-events.ts'
import { listTranscriptOutlineRoute } from './list-transcript-outline.ts'

/** Routes of transcripts, in the order of the API's document. */
export const transcriptRoutes = (outlines: Outlines): readonly Route[] => [
  getTranscriptRoute(outlines),
  listTranscriptOutlineRoute(outlines),
  listTranscriptEventsRoute(outlines),
  getTranscriptEventRoute(outlines),
  findInTranscriptRoute(outlines),
]
