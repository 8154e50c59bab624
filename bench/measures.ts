import { access } from './measures/access.ts'
import { agents } from './measures/agents/agents.ts'
import { attention } from './measures/attention.ts'
import { cacheMillion } from './measures/cache-million.ts'
import { engine } from './measures/engine/engine.ts'
import { filters } from './measures/filters.ts'
import { matrix } from './measures/matrix.ts'
import { million } from './measures/million.ts'
import { overview } from './measures/overview.ts'
import { parts } from './measures/parts/parts.ts'
import { proof } from './measures/proof/proof.ts'
import { backup } from './measures/backup.ts'
import { prune } from './measures/prune.ts'
import { reviews } from './measures/reviews.ts'
import { streams } from './measures/streams.ts'
import { uncached } from './measures/uncached.ts'
import { web } from './measures/web.ts'

export type Print = (line: string) => void
export type Measure = (print: Print) => Promise<void>

/** All measures by name, quick ones first. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  uncached,
  overview,
  access,
  matrix,
  engine,
  filters,
  streams,
  reviews,
  web,
  prune,
  backup,
  parts,
  proof,
  attention,
  agents,
  'cache-million': cacheMillion,
  million,
}

/** Which figures of a measure are of cached responses. `bench` prints it above the figures. */
export const CACHING: Readonly<Record<keyof typeof MEASURES, string>> = {
  uncached: 'No response is cached, except in the rows of the same list again.',
  overview: 'Rows from memory are cached; the list while 4 upload is cached between two uploads. No other row is.',
  access: 'The run list is cached.',
  matrix: 'The page of the matrix is cached after its first request, and so is each case.',
  engine: 'Each figure says whether responses came from the cache of the engine; the figures without it are first.',
  filters: 'No response is cached: each address is requested once.',
  streams: 'Messages are never cached.',
  reviews: 'No answer is cached, but the calibration after its first request.',
  web: 'The browser starts with an empty cache; the responses of the server may be cached.',
  prune: 'No response is cached.',
  backup: 'No response is cached.',
  parts: 'No response is cached.',
  proof: 'Inner nodes of tiles are cached: the first proofs find few of them. No answer is cached, and no other part.',
  attention:
    'Cold, nothing of the overview is cached; warm, what it says of each suite; the same again, the response too. Every grid has an address of its own.',
  agents:
    'No answer to a tool call is cached. Only the column "REST, cached" is from memory. Warm means that the process has answered the same before.',
  'cache-million': 'Reads of bodies may come from memory; pages, searches and facets are not cached.',
  million: 'No response is cached: each address is requested once.',
}
