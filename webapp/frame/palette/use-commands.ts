import { useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import { useRouter, type RouteLocationRaw } from 'vue-router'
import type { RunList, RunListItem } from '../../../queries/runs/run-list.ts'
import type { ProjectList } from '../../../queries/sets/sets.ts'
import type { SavedView } from '../../../queries/views.ts'
import { api, pathTo } from '../../api/api.ts'
import { useActions } from '../use-actions.ts'
import { DENSITIES, TIMES, useDisplay } from '../../composables/use-display.ts'
import { useKeyList } from '../../composables/use-keys.ts'
import { useSearch } from '../../composables/use-search.ts'
import { useSession } from '../../composables/use-session.ts'
import { THEMES, useTheme } from '../../composables/use-theme.ts'
import { runName, setName } from '../../runs/run-name.ts'
import { isDotName } from '../../text/dot-names.ts'
import { shortId, plural } from '../../text/format.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { useViews } from '../../views/use-views.ts'
import { addressText, describeAddress } from '../../views/view-address.ts'
import { NAV } from '../nav.ts'
import { matching, type Command } from './commands.ts'

/** Newest runs that can be found by name without a request for each keystroke. */
const RECENT_RUNS = 100
/** Runs that are listed while nothing is typed. */
const LISTED_RUNS = 5
const MAX_CASES = 4

/** Keys that move in what is shown: as commands they mean nothing. */
const MOVING = /^(?:[jk[\]/?]|Enter|Escape|Arrow.*|g .|Ctrl .)$/

const TIME_WORDS = {
  relative: 'Show how long ago runs were',
  utc: 'Show times in UTC',
  local: 'Show local times',
} as const

export type CommandGroup = { readonly name: string; readonly commands: readonly Command[] }

/**
 * What the palette offers for a text: Go to, Do, Cases, in this order. The last line always searches cases.
 */
export const useCommands = (text: Ref<string>, searchCases: (text: string) => void) => {
  const router = useRouter()
  const { seesAll } = useSession()
  const { theme, choose } = useTheme()
  const { density, times, chooseDensity, chooseTimes } = useDisplay()
  const actions = useActions()
  const { list: keys } = useKeyList()
  const { hits } = useSearch(text)
  const { views, pinned } = useViews()
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => api.get<ProjectList>('/projects', signal),
  })
  const runs = useQuery({
    queryKey: ['runs', 'palette'],
    queryFn: ({ signal }) => api.get<RunList>(`/runs?cached=all&limit=${RECENT_RUNS}`, signal),
    meta: { live: {} },
  })

  /** The page of a set, or the runs of the set while there is no such page. */
  const setAddress = (...[project, suite]: readonly string[]): RouteLocationRaw => {
    const path = pathTo('projects', project ?? '', ...(suite === undefined ? [] : ['suites', suite]))
    return router.resolve(path).name === 'not-found'
      ? { name: 'runs', query: { project, ...(suite === undefined ? {} : { suite }) } }
      : path
  }
  const runCommand = (run: Pick<RunListItem, 'id' | 'note' | 'project' | 'suite' | 'created_at'>): Command => ({
    id: `run ${run.id}`,
    label: runName(run),
    hint: `run · ${setName(run)} · ${run.created_at.slice(0, 10)}`,
    icon: 'next',
    to: { name: 'run', params: { id: run.id } },
  })

  const pages = computed((): Command[] => [
    ...NAV.filter(({ forAdmins }) => !forAdmins || seesAll.value).map(({ name, label }) => ({
      id: `page ${name}`,
      label,
      hint: 'page',
      icon: 'menu' as const,
      to: { name },
    })),
    ...(router.hasRoute('settings')
      ? [{ id: 'page settings', label: 'Settings', hint: 'page', icon: 'menu' as const, to: { name: 'settings' } }]
      : []),
  ])
  const viewCommand = (view: SavedView): Command => ({
    id: `view ${view.id}`,
    label: visibleLine(view.name),
    hint: `saved view · ${visibleLine(describeAddress(view))}`,
    icon: 'bookmark',
    to: addressText(view),
  })
  const sets = computed((): Command[] => {
    const recent = runs.data.value?.runs ?? []
    const suites = new Map(
      recent.flatMap(({ project, suite }) =>
        project === null || suite === null || isDotName(project) || isDotName(suite)
          ? []
          : [[JSON.stringify([project, suite]), { project, suite }] as const],
      ),
    )
    return [
      ...(projects.data.value?.projects ?? [])
        .filter(({ project }) => !isDotName(project))
        .map(({ project, run_count }) => ({
          id: `project ${project}`,
          label: visibleLine(project),
          hint: `project · ${plural(run_count, 'run')}`,
          icon: 'columns' as const,
          to: setAddress(project),
        })),
      ...[...suites.values()].map(({ project, suite }) => ({
        id: `suite ${JSON.stringify([project, suite])}`,
        label: visibleLine(suite),
        hint: `suite · ${visibleLine(project)}`,
        icon: 'columns' as const,
        to: setAddress(project, suite),
      })),
    ]
  })
  const recentRuns = computed(() => (runs.data.value?.runs ?? []).map(runCommand))
  const foundRuns = computed((): Command[] =>
    (hits.value?.runs ?? []).map((run) => ({
      id: `run ${run.id}`,
      label: setName(run),
      hint: `run · ${visibleLine(run.id)}`,
      icon: 'next',
      to: { name: 'run', params: { id: run.id } },
    })),
  )
  /** Adds the runs that the search found. A recent run may be found by its id, and its line have another name. */
  const withFoundRuns = (lines: readonly Command[]): readonly Command[] => [
    ...lines,
    ...foundRuns.value.filter(({ id }) => !lines.some((line) => line.id === id)),
  ]

  const doing = computed((): Command[] => {
    const offered = actions.value.map(({ label, hint = '', icon = 'check', keys: shortcut, run }): Command => ({
      id: `do ${label}`,
      label,
      hint,
      icon,
      keys: shortcut,
      run,
    }))
    const byKeys = keys.value
      .filter((binding) => !binding.keys.some((key) => MOVING.test(key)) && binding.keys.length === 1)
      .map(({ does, keys: bound, run }): Command => ({
        id: `do ${does}`,
        label: does,
        hint: '',
        icon: 'keyboard',
        keys: bound[0],
        run,
      }))
    const themes = THEMES.filter((each) => each !== theme.value).map((each): Command => ({
      id: `theme ${each}`,
      label: each === 'system' ? 'Use the theme of the system' : `Use the ${each} theme`,
      hint: '',
      icon: 'theme',
      run: () => choose(each),
    }))
    const densities = DENSITIES.filter((each) => each !== density.value).map((each): Command => ({
      id: `density ${each}`,
      label: `Use ${each} rows`,
      hint: 'density',
      icon: 'columns',
      run: () => chooseDensity(each),
    }))
    const timeFormats = TIMES.filter((each) => each !== times.value).map((each): Command => ({
      id: `times ${each}`,
      label: TIME_WORDS[each],
      hint: '',
      icon: 'clock',
      run: () => chooseTimes(each),
    }))
    const known = new Set<string>()
    return [...offered, ...byKeys, ...themes, ...densities, ...timeFormats].filter(
      ({ id }) => !known.has(id) && known.add(id),
    )
  })

  const cases = computed((): Command[] =>
    (hits.value?.cases ?? []).slice(0, MAX_CASES).map((item) => ({
      id: `case ${item.run_id} ${item.case_key}`,
      label: visibleLine(item.name ?? `Case ${item.case_key}`),
      hint: `${setName(item)} · run ${visibleLine(shortId(item.run_id))}`,
      icon: 'search',
      to: { name: 'case', params: { id: item.run_id, case_key: item.case_key } },
    })),
  )

  const groups = computed((): readonly CommandGroup[] => {
    const typed = text.value.trim()
    const goTo =
      typed === ''
        ? [...pages.value, ...pinned.value.map(viewCommand), ...recentRuns.value.slice(0, LISTED_RUNS)]
        : withFoundRuns(
            matching(
              [...pages.value, ...(views.value ?? []).map(viewCommand), ...sets.value, ...recentRuns.value],
              typed,
            ),
          )
    const searching: Command = {
      id: 'search',
      label: typed === '' ? 'Search all cases' : `Search “${typed}” in all cases`,
      hint: '',
      icon: 'search',
      keys: 'Ctrl ↵',
      run: () => searchCases(typed),
    }
    return [
      { name: 'Go to', commands: goTo },
      { name: 'Do', commands: matching(doing.value, typed) },
      { name: 'Cases', commands: [...(typed === '' ? [] : cases.value), searching] },
    ].filter(({ commands }) => commands.length > 0)
  })
  return { groups, isLoading: computed(() => runs.isPending.value || projects.isPending.value) }
}
