import { readFileSync } from 'node:fs'
import { aroundData } from '../../domain/report/shared-page.ts'
import { HarnessError } from '../../engine/json.ts'
import { packageFile } from '../../storage/disk/package-file.ts'

/** The page without data. Throws `HarnessError` if it was not built. */
export const readTemplate = (): string => {
  const path = packageFile('webapp/dist/share.html')
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new HarnessError('the page is not built yet: `npm run build` builds it', { cause: error })
  }
}

/** Returns the page with its data, in pieces. The same data give the same bytes. */
export function* sharedPage(template: string, elements: readonly string[]): Generator<string> {
  const { before, after } = aroundData(template)
  yield before
  yield* elements
  yield after
}
