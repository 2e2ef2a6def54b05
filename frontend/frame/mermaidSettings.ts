/** How diagrams are drawn: they cannot contain HTML or links, and cannot change these settings. */

import type { MermaidConfig } from 'mermaid'

/** Settings for a light or a dark page. */
export function settings(dark: boolean): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    theme: dark ? 'dark' : 'neutral',
    suppressErrorRendering: true,
    maxTextSize: 50_000,
    maxEdges: 500,
    fontFamily: 'system-ui, sans-serif',
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'flowchart',
      'class',
      'themeCSS',
      'themeVariables',
      'fontFamily',
      'altFontFamily',
      'dompurifyConfig',
      'legacyMathML',
      'forceLegacyMathML',
      'deterministicIds',
      'layout',
      'elk',
    ],
  }
}
