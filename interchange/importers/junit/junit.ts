import { sha256OfStream } from '../../document/identity.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Look } from '../../read/look.ts'
import { xmlEvents } from '../../read/xml.ts'
import type { Claim, Importer, RunHead, SourceRun } from '../importer.ts'
import { testPlaces } from '../test-places.ts'
import { junitCase, DEFAULT_PROVIDER } from './cases.ts'
import { elementBuilder } from './elements.ts'
import { suiteCollector } from './suites.ts'

/** The root elements of other reports of tests. */
const OTHER_REPORTS: Readonly<Record<string, string>> = {
  'test-run': 'NUnit 3',
  'test-results': 'NUnit 2',
  assemblies: 'xUnit.net',
  assembly: 'xUnit.net',
  TestRun: 'Visual Studio (TRX)',
  'testng-results': 'TestNG',
}

const detect = ({ kind, root }: Look): Claim | null => {
  if (kind !== 'xml' || root === null) return null
  const name = root.slice(root.indexOf(':') + 1)
  if (name === 'testsuites' || name === 'testsuite') return { reason: `root <${name}>` }
  if (!Object.hasOwn(OTHER_REPORTS, name)) return null
  const tool = OTHER_REPORTS[name]!
  return { reason: `root <${name}>`, refused: `a report of ${tool}: write or convert it as JUnit XML` }
}

const open: Importer['open'] = async function* ({ file }, options): AsyncGenerator<SourceRun> {
  const stamp = await sha256OfStream(file.bytes())
  let head: RunHead = {}
  const places = testPlaces(DEFAULT_PROVIDER)
  yield {
    identity: stamp,
    stamp,
    cases: async function* (losses) {
      const suites = suiteCollector(options, losses)
      const builder = elementBuilder(losses, suites.addSuite)
      let count = 0
      for await (const events of xmlEvents(file.bytes(), losses))
        for (const event of events) {
          const found = builder.add(event)
          if (found === null) continue
          count += 1
          const draft = junitCase(found, losses)
          suites.addCase(found, draft.status)
          const place = { host: found.host, suites: found.suites.join(' > ') }
          const named = places.named(draft, place, losses)
          if (named) yield named
        }
      places.end()
      if (count === 0) throw new SourceRefused('holds no tests')
      head = suites.head(file.name)
    },
    head: () => head,
  }
}

/** Reads JUnit XML of any dialect, case by case. */
export const junit: Importer = {
  format: 'junit',
  converter: 2,
  reads: 'a report of tests as JUnit XML, with the root testsuites or testsuite',
  detect,
  open,
}
