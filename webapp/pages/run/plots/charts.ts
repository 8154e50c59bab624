import { useStored } from '../../../composables/use-stored.ts'

/** Whether the charts of runs are open. A choice about a screen, so the browser remembers it. */
export const areChartsOpen = useStored('run.charts', false)

/** The charts, in a script of their own. One function, so that a later visit shows them at once. */
export const loadPanels = () => import('./PlotPanels.vue')
