import { useLocalStorage } from '@vueuse/core'

/** Whether the charts of runs are open. A choice about a screen, so the browser remembers it. */
export const areChartsOpen = useLocalStorage('run.charts', false)

/** The charts, in a script of their own. One function, so that a later visit shows them at once. */
export const loadPanels = () => import('./PlotPanels.vue')
