import type { Page } from 'playwright-core'
import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase } from '../documents/documents.ts'
import { REVIEWED } from '../documents/reviewed.ts'
import { smallDocument } from '../documents/small-document.ts'
import { LOG_VKEY, RECEIPT } from '../proof/check-value.ts'
import { LINKED, PROVIDERS, stubProviders } from '../sso/stubbed-providers.ts'

/** The session of the first account, and the ids of the others by name. */
export type Seeded = {
  readonly session: string
  readonly users: Readonly<Record<string, string>>
  /** The paths of an invite and of a reset link that are not used. */
  readonly links: Readonly<Record<'invite' | 'reset', string>>
  /** The ids of two review queues. */
  readonly queues: Readonly<Record<'open' | 'closed', string>>
}

/** A page of the app in one state. */
export type State = {
  readonly name: string
  /** The name of its route in the router. */
  readonly route: string
  readonly path: (seeded: Seeded) => string
  /** A text that is there once the page has what it shows. */
  readonly text: string | RegExp
  /** Changes answers of the server before the page is opened. */
  readonly stub?: (page: Page) => Promise<unknown>
  /** What the user does to bring the page into this state. */
  readonly enter?: (page: Page) => Promise<unknown>
  /** Whether it is a popup that closes when the focus leaves it, so that Tab only walks through the page behind it. */
  readonly popup?: boolean
  /** For whom the page is: the first account by default. */
  readonly viewer?: 'signed out'
}

const CASE_KEY = aCase({ cell: { provider_id: 'fast-model', test_id: 'test-2' } }).case_key
const MEDIA_KEY = aCase({ cell: { test_id: 'media' } }).case_key
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

/** Chooses an item of the menu of a page. */
const item = async (page: Page, name: string): Promise<void> => {
  await button(page, 'More actions').click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

const FRAME: readonly State[] = [
  { name: 'the overview', route: 'overview', path: () => '/', text: 'smoke' },
  {
    name: 'the menu of a suite',
    popup: true,
    route: 'overview',
    path: () => '/',
    text: 'smoke',
    enter: async (page) => {
      await button(page, /^Snooze, own or archive/).click()
      await page.getByRole('menuitem', { name: 'Archive…' }).waitFor()
    },
  },
  {
    name: 'the thresholds of a suite',
    route: 'overview',
    path: () => '/',
    text: 'smoke',
    enter: async (page) => {
      await button(page, /^Snooze, own or archive/).click()
      await page.getByRole('menuitem', { name: 'When cost or latency rises…' }).click()
      await page.getByRole('dialog').getByLabel('Cost rises by').waitFor()
    },
  },
  { name: 'no page', route: 'not-found', path: () => '/no/such/page', text: 'All runs' },
  { name: 'signing in', route: 'login', path: () => '/login', text: 'Sign in', viewer: 'signed out' },
  {
    name: 'signing in with a provider',
    route: 'login',
    stub: stubProviders,
    path: () => '/login?sso_error=provider_error&provider=acme&return_to=/runs',
    text: 'The provider did not confirm the sign-in',
    viewer: 'signed out',
  },
  {
    name: 'an invite',
    route: 'invite',
    path: ({ links }) => links.invite,
    text: 'Make the account',
    viewer: 'signed out',
  },
  {
    name: 'an invite that is opened by someone with an account',
    route: 'invite',
    // Another address than before, so that the page is loaded again.
    path: ({ links }) => links.invite.replace('#', '&again#'),
    text: 'You are signed in as',
    enter: async (page) => {
      await page.getByLabel('User name').fill('reviewer')
      await page.getByLabel('Password').fill('correct horse battery')
      await button(page, 'Make the account').click()
      await page.getByText('Username already exists.').waitFor()
    },
  },
  {
    name: 'a link for a new password',
    route: 'reset',
    path: ({ links }) => links.reset,
    text: 'Set the password',
    viewer: 'signed out',
  },
  {
    name: 'a link that is not valid',
    route: 'reset',
    path: () => '/reset#reset_unknown',
    text: 'Ask an admin for another one.',
    viewer: 'signed out',
  },
  { name: 'the settings', route: 'settings', path: () => '/settings', text: 'Failing runs' },
  {
    name: 'the settings of an account without a password',
    route: 'settings',
    stub: (page) => stubProviders(page, PROVIDERS, { mira: LINKED }),
    path: () => '/settings',
    text: 'This account has no password here',
  },
  {
    name: 'a new API key',
    route: 'settings',
    path: () => '/settings',
    text: 'Failing runs',
    enter: async (page) => {
      await button(page, 'Make a key').click()
      await page.getByLabel('Only project').fill('code')
      await page.getByLabel('Only suite').waitFor()
    },
  },
  {
    name: 'a key that was made',
    route: 'settings',
    path: () => '/settings',
    text: 'Failing runs',
    enter: async (page) => {
      await button(page, 'Make a key').click()
      await page.getByLabel('Name', { exact: true }).fill('a key of this state')
      await page.getByLabel('Only project').fill('code')
      await button(page, 'Make key').click()
      await page.getByRole('region', { name: 'Example' }).waitFor()
    },
  },
  {
    name: 'a new key for an agent',
    route: 'settings',
    path: () => '/settings',
    text: 'Failing runs',
    enter: async (page) => {
      await button(page, 'Make a read key').click()
      await page.getByRole('group', { name: 'The new key' }).waitFor()
    },
  },
  {
    name: 'checking a receipt',
    route: 'check-receipt',
    path: () => '/check-receipt',
    text: 'Verifier keys',
    viewer: 'signed out',
  },
  {
    name: 'a receipt that is good',
    route: 'check-receipt',
    path: () => '/check-receipt',
    text: 'Verifier keys',
    viewer: 'signed out',
    enter: async (page) => {
      await page.getByLabel('Verifier keys').fill(LOG_VKEY)
      await page
        .getByLabel('Receipt')
        .setInputFiles({ name: 'a.tlog-proof', mimeType: 'text/plain', buffer: Buffer.from(RECEIPT) })
      await page.getByRole('heading', { name: 'The receipt is good' }).waitFor()
    },
  },
  { name: 'the format of documents', route: 'document-format', path: () => '/document-format', text: 'asserts' },
  {
    name: 'the list of keys',
    route: 'not-found',
    path: () => '/no/such/page',
    text: 'All runs',
    enter: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    },
  },
  {
    name: 'the saved views',
    route: 'runs',
    path: () => '/runs?suite=smoke',
    text: 'nightly 9',
    enter: async (page) => {
      await page.keyboard.press('v')
      await page.getByRole('button', { name: 'Delete Failing runs' }).waitFor()
    },
  },
  {
    name: 'the palette',
    route: 'runs',
    path: () => '/runs',
    text: 'nightly 9',
    enter: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Go to or do' }).fill('smoke')
      await page.getByRole('option', { name: /smoke.*suite/ }).waitFor()
    },
  },
  {
    name: 'the results of the search box',
    popup: true,
    route: 'runs',
    path: () => '/runs',
    text: 'nightly 9',
    enter: async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('answer')
      await page.getByRole('link', { name: /^All results/ }).waitFor()
    },
  },
  {
    name: 'the menu of the account',
    popup: true,
    route: 'runs',
    path: () => '/runs',
    text: 'nightly 9',
    enter: (page) => button(page, 'Account: mira').click(),
  },
]

const RUNS: readonly State[] = [
  { name: 'the runs', route: 'runs', path: () => '/runs', text: 'nightly 9' },
  {
    name: 'selected runs',
    route: 'runs',
    path: () => '/runs?select=night-9&select=night-8&suite=smoke',
    text: '2 runs',
    enter: async (page) => {
      await page.keyboard.press('f')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'the deletion of several runs',
    route: 'runs',
    path: () => '/runs?select=night-4&select=night-8&suite=smoke',
    text: '2 runs',
    enter: async (page) => {
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete 2 runs…' }).click()
      await page.getByRole('dialog').getByText('Under legal hold').waitFor()
    },
  },
  {
    name: 'the tags of several runs',
    route: 'runs',
    path: () => '/runs?select=night-4&select=night-8&suite=smoke',
    text: '2 runs',
    enter: async (page) => {
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Tag…' }).click()
      await page.getByRole('dialog', { name: 'Tag 2 runs' }).waitFor()
    },
  },
  {
    name: 'runs that a filter hides',
    route: 'runs',
    path: () => '/runs?suite=nothing',
    text: 'No run matches these filters',
  },
  {
    name: 'an import',
    route: 'runs',
    path: () => '/runs?import',
    text: 'Import runs',
    enter: async (page) => {
      await page.getByLabel('Run documents').setInputFiles([
        { name: 'new.json', mimeType: 'application/json', buffer: Buffer.from(smallDocument('new')) },
        { name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{"schema_version":3}') },
      ])
      await page.getByText('Ready').first().waitFor()
    },
  },
  { name: 'a run', route: 'run', path: () => '/runs/night-9', text: 'Case 2' },
  {
    name: 'the failing cases of a run',
    route: 'run',
    path: () => '/runs/night-9?status=fail&tag=even',
    text: 'Case 2',
  },
  {
    name: 'the groups of the cases of a run',
    route: 'run',
    path: () => '/runs/night-9?group=var.order',
    text: 'Case 2',
    enter: (page) => page.getByRole('region', { name: 'Groups by order' }).getByRole('row').nth(2).waitFor(),
  },
  {
    name: 'the columns of the cases of a run',
    route: 'run',
    path: () => '/runs/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'Columns and groups').click()
      await page
        .getByRole('group', { name: 'Columns and groups' })
        .getByRole('checkbox', { name: /^order/ })
        .waitFor()
    },
  },
  { name: 'no run', route: 'run', path: () => '/runs/none', text: 'No such run' },
  {
    name: 'the deletion of a run',
    route: 'run',
    path: () => '/runs/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'More actions').click()
      await page.getByRole('menuitem', { name: 'Delete this run' }).click()
    },
  },
  {
    name: 'the menu of a run',
    popup: true,
    route: 'run',
    path: () => '/runs/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'More actions').click()
      await page.getByRole('menuitem', { name: 'Delete this run' }).waitFor()
    },
  },
  {
    name: 'the receipt of a run',
    route: 'run',
    path: () => '/runs/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'More actions').click()
      await page.getByRole('menuitem', { name: 'Receipt of this run' }).click()
      await page.getByRole('link', { name: 'Download the receipt' }).waitFor()
    },
  },
  {
    name: 'the menu that shares a run',
    popup: true,
    route: 'run',
    path: () => '/runs/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'Share').click()
      await page.getByRole('menuitem', { name: 'HTML file' }).waitFor()
    },
  },
  {
    name: 'the title, the note and the tags of a run',
    route: 'run',
    path: () => '/runs/night-4',
    text: 'busy machine',
    enter: async (page) => {
      await button(page, 'Edit').click()
      await page.getByRole('dialog', { name: 'Title, note and tags' }).waitFor()
    },
  },
  {
    name: 'what was added to a run',
    route: 'run',
    path: () => '/runs/night-4',
    text: 'busy machine',
    enter: async (page) => {
      await button(page, /^Added by mira on/).click()
      await page.getByRole('dialog').getByText('busy machine').waitFor()
    },
  },
  {
    name: 'the comments of a run',
    route: 'run',
    path: () => '/runs/night-4',
    text: 'busy machine',
    enter: async (page) => {
      await button(page, 'Comments 3').click()
      await page.getByText('Do not compare latencies.').waitFor()
    },
  },
  {
    name: 'the comments of a case',
    route: 'case',
    path: () => `/runs/night-4/cases/${CASE_KEY}`,
    text: 'Comments',
    enter: async (page) => {
      await button(page, 'Comments 1').click()
      await page.getByText('The judge misread the date.').waitFor()
    },
  },
  {
    name: 'the deletion of a comment',
    route: 'run',
    path: () => '/runs/night-4',
    text: 'busy machine',
    enter: async (page) => {
      await button(page, 'Comments 3').click()
      await button(page, /^Delete the comment of mira/).click()
      await page.getByRole('dialog', { name: 'Delete this comment?' }).waitFor()
    },
  },
  { name: 'a held run', route: 'run', path: () => '/runs/night-4', text: 'held' },
  { name: 'a matrix', route: 'matrix', path: () => '/runs/wide/matrix', text: /model-\d\d/ },
  {
    name: 'a matrix of two columns',
    route: 'matrix',
    path: () => '/runs/night-9/matrix?value=colour',
    text: 'slow-model',
  },
  {
    name: 'the cost in a matrix',
    route: 'matrix',
    path: () => '/runs/night-9/matrix?value=cost',
    text: 'Mean cost',
  },
  {
    name: 'two picked columns of a matrix',
    route: 'matrix',
    path: () => '/runs/wide/matrix?pick=model-1&pick=model-2',
    text: /\d better, \d+ worse/,
  },
  { name: 'a configuration', route: 'config', path: () => '/runs/night-9/config', text: 'nightly 9' },
  { name: 'a document', route: 'document', path: () => '/runs/night-9/document', text: 'Download' },
  ...['result', 'conversation', 'request', 'usage', 'raw'].map((view) => ({
    name: `the ${view} of a case`,
    route: 'case',
    path: () => `/runs/night-9/cases/${CASE_KEY}?view=${view}`,
    text: 'Conversation',
  })),
  ...['result', 'conversation'].map((view) => ({
    name: `the ${view} of a case as wide as the window`,
    route: 'case',
    path: () => `/runs/night-9/cases/${CASE_KEY}?full=yes&view=${view}`,
    text: 'Conversation',
  })),
  {
    name: 'opened pictures of a case',
    route: 'case',
    path: () => `/runs/media/cases/${MEDIA_KEY}?view=result`,
    text: 'Show pictures and sounds',
    enter: async (page) => {
      await button(page, 'Show pictures and sounds').click()
      await page.getByRole('group', { name: 'Pictures and sounds' }).getByRole('img').first().waitFor()
    },
  },
  {
    name: 'a transcript',
    route: 'transcript',
    path: () => `/runs/night-9/cases/${CASE_KEY}/transcript?e=4`,
    text: 'The leap rule',
  },
  {
    name: 'the messages of a transcript',
    route: 'transcript',
    path: () => `/runs/night-9/cases/${CASE_KEY}/transcript?view=messages`,
    text: 'Find out why',
  },
  {
    name: 'no other transcript',
    route: 'transcript',
    path: () => `/runs/night-9/cases/${CASE_KEY}/transcript?view=differences`,
    text: 'No other transcript of this test',
  },
  {
    name: 'no transcript',
    route: 'transcript',
    path: () => `/runs/media/cases/${MEDIA_KEY}/transcript`,
    text: 'No transcript',
  },
  { name: 'no case', route: 'case', path: () => '/runs/night-9/cases/none', text: 'No such case' },
]

const COMPARISONS: readonly State[] = [
  {
    name: 'the outputs of a test',
    route: 'test-outputs',
    path: () => '/runs/night-9/tests/test-2',
    text: 'slow-model',
  },
  {
    name: 'the outputs of several runs',
    route: 'compared-outputs',
    path: () => '/compare/outputs/test-2?runs=night-7,night-8,night-9',
    text: 'says something else',
  },
  { name: 'a comparison', route: 'compare', path: () => '/compare/night-1/night-9', text: 'Case 2' },
  {
    name: 'some cases of a comparison',
    route: 'compare',
    path: () => '/compare/night-1/night-9?filter=all&q=case&tag=even&sort=name',
    text: 'Case 2',
  },
  {
    name: 'a comparison by tag',
    route: 'compare',
    path: () => '/compare/night-1/night-9?by=tag&tag=even',
    text: 'p, adjusted',
  },
  {
    name: 'a comparison of two columns',
    route: 'compare',
    path: () => '/compare/night-9/night-9?base_column=fast-model&head_column=slow-model',
    text: 'Case 2',
  },
  {
    name: 'a comparison of an unknown column',
    route: 'compare',
    path: () => '/compare/night-9/night-9?base_column=fast-model&head_column=none',
    text: 'The address names an unknown column',
  },
  {
    name: 'the file of a comparison',
    route: 'compare',
    path: () => '/compare/night-1/night-9',
    text: 'Case 2',
    enter: async (page) => {
      await button(page, 'Share').click()
      await page.getByRole('menuitem', { name: 'HTML file' }).click()
      await page
        .getByRole('dialog')
        .getByText(/^Size: /)
        .waitFor()
    },
  },
  {
    name: 'a case of a comparison',
    route: 'compare',
    path: () => `/compare/night-1/night-9?case=${CASE_KEY}&filter=all`,
    text: 'assertions flipped',
  },
  {
    name: 'a comparison of several runs',
    route: 'compare-many',
    path: () => '/compare?runs=night-1,night-5,night-9',
    text: 'Case 2',
  },
  { name: 'a comparison of no runs', route: 'compare-many', path: () => '/compare', text: 'No runs to compare' },
  {
    name: 'search results',
    route: 'search',
    path: () => '/search?q=answer',
    text: 'Case 2',
    enter: (page) => button(page, /^Unfold/).click(),
  },
  { name: 'no search results', route: 'search', path: () => '/search?q=answer+zebra', text: 'Nothing contains all' },
  { name: 'a search', route: 'search', path: () => '/search', text: 'Search runs, cases and comments' },
]

const SUITES: readonly State[] = [
  { name: 'the suites', route: 'projects', path: () => '/projects', text: 'smoke' },
  { name: 'a project', route: 'project', path: () => '/projects/chat', text: 'smoke' },
  { name: 'a suite', route: 'suite', path: () => '/projects/chat/suites/smoke', text: 'oldest left' },
  {
    name: 'the latency of a suite',
    route: 'suite',
    path: () => '/projects/chat/suites/smoke?measure=latency',
    text: 'oldest left',
    enter: (page) => page.getByRole('group', { name: 'Latency, median by run' }).waitFor(),
  },
  {
    name: 'the leaderboard of a suite with one run',
    route: 'suite',
    path: () => '/projects/code/suites/models',
    text: '95% interval',
    enter: (page) => page.getByRole('region', { name: /^By / }).getByRole('table').waitFor(),
  },
  {
    name: 'picked runs of the leaderboard of a suite',
    route: 'suite',
    path: () => '/projects/code/suites/by-model',
    text: 'Pass rate by run',
    enter: async (page) => {
      for (const box of (await page.getByRole('checkbox', { name: /^Select / }).all()).slice(0, 2)) await box.check()
      await page.getByRole('link', { name: 'Compare 2 runs' }).waitFor()
    },
  },
  {
    name: 'the access to a suite',
    route: 'suite',
    path: () => '/projects/code/suites/models',
    text: '95% interval',
    enter: async (page) => {
      await item(page, 'Access')
      await page.getByRole('dialog').getByRole('region', { name: 'Restriction' }).waitFor()
    },
  },
  {
    name: 'the history of a case',
    route: 'case-history',
    path: () => `/projects/chat/suites/smoke/cases/${CASE_KEY}`,
    text: /of the words are the same/,
  },
  {
    name: 'the charts of a suite',
    route: 'suite',
    path: () => '/projects/chat/suites/smoke',
    text: 'oldest left',
    enter: async (page) => {
      await button(page, 'Share').click()
      await page.getByRole('menuitem', { name: 'Picture of a chart' }).click()
      await page.getByRole('button', { name: /^PNG/ }).first().waitFor()
    },
  },
  {
    name: 'the plans of a suite',
    route: 'suite',
    path: () => '/projects/chat/suites/smoke',
    text: 'oldest left',
    enter: async (page) => {
      await item(page, 'Plans')
      await page.getByRole('dialog').getByRole('list', { name: 'Plans' }).waitFor()
    },
  },
  {
    name: 'a suite without plans',
    route: 'suite',
    path: () => '/projects/code/suites/models',
    text: '95% interval',
    enter: async (page) => {
      await item(page, 'Plans')
      await page.getByRole('dialog').getByText('No plan is registered for this suite.').waitFor()
    },
  },
  { name: 'no suite', route: 'suite', path: () => '/projects/chat/suites/none', text: 'No such suite' },
]

const ADMIN: readonly State[] = [
  { name: 'the cache', route: 'cache', path: () => '/cache', text: 'judge-model' },
  {
    name: 'an entry of the cache',
    route: 'cache-entry',
    path: () => `/cache/${cacheKeyOf('paid')}`,
    text: 'Ask the walrus.',
  },
  { name: 'a prune of the cache', route: 'cache', path: () => '/cache?kind=judge&prune', text: 'Remove 6 entries' },
  { name: 'the users', route: 'admin-users', path: () => '/admin/users', text: 'ci-bot' },
  {
    name: 'inviting people',
    route: 'admin-users',
    path: () => '/admin/users',
    text: 'ci-bot',
    enter: async (page) => {
      await page.keyboard.press('n')
      await button(page, 'Grant a restricted set').click()
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'an invite that was made',
    route: 'admin-users',
    path: () => '/admin/users?invite',
    text: 'Open links',
    enter: async (page) => {
      await button(page, 'Make link').click()
      await page.getByRole('group', { name: 'The new link' }).waitFor()
    },
  },
  {
    name: 'a new service account',
    route: 'admin-users',
    path: () => '/admin/users',
    text: 'ci-bot',
    enter: async (page) => {
      await button(page, 'Add service account').click()
      await page.getByText('no password and no sign-in').waitFor()
    },
  },
  {
    name: 'a user',
    route: 'admin-user',
    path: ({ users }) => `/admin/users/${users['ci-bot']}`,
    text: 'Granted sets',
  },
  {
    name: 'a reset link that was made',
    route: 'admin-user',
    path: ({ users }) => `/admin/users/${users['reviewer']}`,
    text: 'Granted sets',
    enter: async (page) => {
      await button(page, 'Make a reset link').click()
      await page.getByRole('group', { name: 'The new link' }).waitFor()
    },
  },
  {
    name: 'a user with identities',
    route: 'admin-user',
    stub: (page) => stubProviders(page, PROVIDERS, { 'ci-bot': LINKED }),
    path: ({ users }) => `/admin/users/${users['ci-bot']}`,
    text: 'not configured any more',
  },
  { name: 'the keys', route: 'admin-keys', path: () => '/admin/keys', text: 'ci-bot' },
  {
    name: 'all keys',
    route: 'admin-keys',
    path: () => '/admin/keys',
    text: 'service_',
    enter: (page) => page.getByRole('checkbox').first().check(),
  },
  {
    name: 'the access',
    route: 'admin-access',
    path: () => `/admin/access?set=${encodeURIComponent('["code","models"]')}`,
    text: 'Choose an account',
  },
  { name: 'the holds', route: 'admin-holds', path: () => '/admin/holds', text: 'Ask counsel first.' },
  {
    name: 'a new hold',
    route: 'admin-holds',
    path: () => '/admin/holds?run=night-3',
    text: 'Place a legal hold',
  },
  {
    name: 'a hold to lift',
    route: 'admin-holds',
    path: () => '/admin/holds',
    text: 'Ask counsel first.',
    enter: async (page) => {
      await button(page, /^Lift the hold/).click()
      await page.getByLabel('Reference of the decision').waitFor()
    },
  },
  { name: 'the audit trail', route: 'admin-audit', path: () => '/admin/audit', text: 'Sign-in refused' },
  { name: 'a record', route: 'admin-record', path: () => '/admin/audit/2', text: 'Recomputed here' },
  { name: 'the server', route: 'admin-server', path: () => '/admin/server', text: /of \d+ records/ },
]

const WITHOUT_ACCOUNTS: readonly State[] = [
  {
    name: 'the set-up with a provider',
    route: 'setup',
    stub: stubProviders,
    path: () => '/setup?sso_error=access_denied&provider=acme',
    text: 'Access was denied',
    viewer: 'signed out',
  },
  { name: 'the set-up', route: 'setup', path: () => '/setup', text: 'Set up', viewer: 'signed out' },
]

const WITHOUT_RUNS: readonly State[] = [
  { name: 'a server without runs', route: 'runs', path: () => '/runs', text: 'No runs yet' },
  { name: 'an empty overview', route: 'overview', path: () => '/', text: 'No runs yet' },
  {
    name: 'access without a restriction',
    route: 'admin-access',
    path: () => '/admin/access',
    text: 'Every set is open',
  },
  { name: 'no keys', route: 'admin-keys', path: () => '/admin/keys', text: 'No keys yet' },
  { name: 'no legal holds', route: 'admin-holds', path: () => '/admin/holds', text: 'No run is under legal hold' },
  { name: 'no review queues', route: 'reviews', path: () => '/reviews', text: 'No queue was opened yet' },
]

const JUDGES = `/projects/${REVIEWED.project}/suites/${REVIEWED.suite}/judges`
const OF_SUITE = `project=${REVIEWED.project}&suite=${REVIEWED.suite}`

const REVIEWS: readonly State[] = [
  { name: 'the review queues', route: 'reviews', path: () => '/reviews', text: 'Right answers' },
  {
    name: 'a suite without review queues',
    route: 'reviews',
    path: () => '/reviews?project=chat&suite=smoke',
    text: 'No such queue',
  },
  { name: 'a new queue of no suite', route: 'new-queue', path: () => '/reviews/new', text: 'Choose a project' },
  { name: 'a new queue', route: 'new-queue', path: () => `/reviews/new?${OF_SUITE}`, text: 'Where they differ' },
  {
    name: 'a new queue that was counted',
    route: 'new-queue',
    path: () => `/reviews/new?${OF_SUITE}&passed=5&failed=2`,
    text: 'Where they differ',
    enter: async (page) => {
      await button(page, 'Count cases').click()
      await page.getByText('7 cases: 5 of').waitFor()
    },
  },
  {
    name: 'a suite without a rubric',
    route: 'new-queue',
    path: () => '/reviews/new?project=chat&suite=smoke',
    text: 'This suite has no rubric yet',
  },
  { name: 'an open queue', route: 'queue', path: ({ queues }) => `/reviews/${queues.open}`, text: 'have all labels' },
  {
    name: 'people to add to a queue',
    route: 'queue',
    path: ({ queues }) => `/reviews/${queues.open}`,
    text: 'have all labels',
    enter: async (page) => {
      await button(page, 'Add people').click()
      await page.getByLabel('Names of accounts').waitFor()
    },
  },
  {
    name: 'a queue to close',
    route: 'queue',
    path: ({ queues }) => `/reviews/${queues.open}`,
    text: 'have all labels',
    enter: async (page) => {
      await button(page, 'Close queue').click()
      await page.getByText('It cannot be opened again.').waitFor()
    },
  },
  {
    name: 'the cases of an open queue',
    route: 'queue-cases',
    path: ({ queues }) => `/reviews/${queues.open}/cases`,
    text: 'is shown when the queue is closed',
  },
  {
    name: 'the agreement of an open queue',
    route: 'queue-agreement',
    path: ({ queues }) => `/reviews/${queues.open}/agreement`,
    text: 'The queue is still open',
  },
  { name: 'a closed queue', route: 'queue', path: ({ queues }) => `/reviews/${queues.closed}`, text: 'are decided' },
  {
    name: 'the agreement of people',
    route: 'queue-agreement',
    path: ({ queues }) => `/reviews/${queues.closed}/agreement`,
    text: 'Krippendorff',
  },
  {
    name: 'the cases of a closed queue',
    route: 'queue-cases',
    path: ({ queues }) => `/reviews/${queues.closed}/cases`,
    text: 'The city is another one.',
  },
  { name: 'the judges of a suite', route: 'judges', path: () => JUDGES, text: 'Weak' },
  {
    name: 'a suite without judges',
    route: 'judges',
    path: () => '/projects/code/suites/models/judges',
    text: 'No judge',
  },
  { name: 'a calibration', route: 'calibration', path: () => `${JUDGES}/llm-rubric`, text: 'Which judge' },
  {
    name: 'a calibration without labels',
    route: 'case-calibration',
    path: () => `/projects/${REVIEWED.project}/suites/${REVIEWED.suite}/whole-cases`,
    text: 'Which judge',
  },
]

/** The states of every page, by the spec that visits them. */
export const STATES = { FRAME, RUNS, COMPARISONS, SUITES, REVIEWS, ADMIN, WITHOUT_ACCOUNTS, WITHOUT_RUNS }
