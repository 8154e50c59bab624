import type { Page } from 'playwright-core'
import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase } from '../documents/documents.ts'
import { smallDocument } from '../documents/small-document.ts'
import { LOG_VKEY, RECEIPT } from '../proof/check-value.ts'
import { LINKED, PROVIDERS, stubProviders } from '../sso/stubbed-providers.ts'

/** The session of the first account, and the ids of the others by name. */
export type Seeded = { readonly session: string; readonly users: Readonly<Record<string, string>> }

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
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

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
    enter: (page) => button(page, 'Make a key').click(),
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
  { name: 'a held run', route: 'run', path: () => '/runs/night-4', text: 'held' },
  { name: 'a matrix', route: 'matrix', path: () => '/runs/wide/matrix', text: /model-\d\d/ },
  {
    name: 'a matrix of two columns',
    route: 'matrix',
    path: () => '/runs/night-9/matrix?value=cost',
    text: 'slow-model',
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
  {
    name: 'a case as wide as the window',
    route: 'case',
    path: () => `/runs/night-9/cases/${CASE_KEY}?full`,
    text: 'Conversation',
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
  { name: 'a search', route: 'search', path: () => '/search', text: 'Search runs and cases' },
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
    name: 'the access to a suite',
    route: 'suite',
    path: () => '/projects/code/suites/models',
    text: 'Tests of the newest run',
    enter: async (page) => {
      await button(page, 'Access').click()
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
      await button(page, 'Plans').click()
      await page.getByRole('dialog').getByRole('list', { name: 'Plans' }).waitFor()
    },
  },
  {
    name: 'a suite without plans',
    route: 'suite',
    path: () => '/projects/code/suites/models',
    text: 'Tests of the newest run',
    enter: async (page) => {
      await button(page, 'Plans').click()
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
    name: 'a new user',
    route: 'admin-users',
    path: () => '/admin/users',
    text: 'ci-bot',
    enter: async (page) => {
      await page.keyboard.press('n')
      await page.getByLabel('User name').waitFor()
    },
  },
  {
    name: 'a user',
    route: 'admin-user',
    path: ({ users }) => `/admin/users/${users['ci-bot']}`,
    text: 'Granted sets',
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
]

/** The states of every page, by the spec that visits them. */
export const STATES = { FRAME, RUNS, COMPARISONS, SUITES, ADMIN, WITHOUT_ACCOUNTS, WITHOUT_RUNS }
