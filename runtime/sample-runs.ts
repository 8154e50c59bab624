import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

// Public results for those who look at the service for the first time (`samples/README.md`). They are files of the program,
// and read on demand.

/** The project of all samples, so that each page that shows one says that it is a sample. */
export const SAMPLE_PROJECT = 'samples'

/** One run document, not yet moved in time: its suite, the id that its run gets, and its file. */
export type SampleFile = { readonly suite: string; readonly run_id: string; readonly path: string }

const FOLDER = fileURLToPath(new URL('../samples/', import.meta.url))
const HOUR_MS = 3_600_000

/** How long before a load the newest run of each suite ended. The first two need attention, and stay on top of the list. */
const NEWEST_HOURS_AGO: Readonly<Record<string, number>> = {
  'mini-agi': 2,
  beebot: 5,
  'all-agents': 27,
  airline: 30,
  riddles: 49,
  'swe-bench-lite': 51,
  theory_of_mind: 73,
  'llama-4-scout': 75,
  popularity: 97,
}

/** The suites of the samples. */
export const SAMPLE_SUITES: readonly string[] = Object.keys(NEWEST_HOURS_AGO)

const unzip = promisify(gunzip)

/** The files of all samples, by suite and name. The id of a run is made from its file, so that a load finds what is there. */
export const listSamples = async (): Promise<readonly SampleFile[]> => {
  const suites = await Promise.all(
    SAMPLE_SUITES.map(async (suite) => {
      const names = (await readdir(join(FOLDER, suite))).filter((name) => name.endsWith('.json.gz')).toSorted()
      return names.map((name) => ({
        suite,
        run_id: `sample-${suite}-${name.slice(0, -'.json.gz'.length)}`,
        path: join(FOLDER, suite, name),
      }))
    }),
  )
  return suites.flat()
}

type Document = Record<string, unknown> & { readonly started_at: string; readonly finished_at: string }

const documentIn = async ({ path }: SampleFile): Promise<Document> =>
  JSON.parse((await unzip(await readFile(path))).toString()) as Document

/** When a run ended, in epoch milliseconds. */
const endOf = ({ finished_at }: Document): number => Date.parse(finished_at)

/**
 * The run documents of one suite, as bytes by run id: their times are moved by the same amount, so that the newest run
 * ended some hours before `now` and the gaps between runs stay. The configuration of each says so.
 */
export const sampleDocuments = async (
  suite: string,
  files: readonly SampleFile[],
  now: number,
): Promise<ReadonlyMap<string, Uint8Array>> => {
  const own = files.filter((file) => file.suite === suite)
  const documents = await Promise.all(own.map(documentIn))
  const newest = Math.max(...documents.map(endOf))
  const moved_ms = now - (NEWEST_HOURS_AGO[suite] ?? 0) * HOUR_MS - newest
  const moved = (time: string): string => new Date(Date.parse(time) + moved_ms).toISOString()
  return new Map(
    own.map(({ run_id }, index) => {
      const { started_at, finished_at, config_snapshot, ...rest } = documents[index]!
      const document = {
        ...rest,
        run_id,
        project: SAMPLE_PROJECT,
        suite,
        started_at: moved(started_at),
        finished_at: moved(finished_at),
        config_snapshot: {
          ...(config_snapshot as object),
          sample: { note: 'a public result, loaded to look around; its times are moved', moved_ms },
        },
      }
      return [run_id, Buffer.from(JSON.stringify(document))] as const
    }),
  )
}
