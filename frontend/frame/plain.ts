/** Inserted before an HTML artifact: only reports height and errors. */

import { keepApart } from './apart'
import { keepSaying } from './said'

keepApart()
keepSaying()
