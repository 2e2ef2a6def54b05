/** Put in front of an HTML artifact: it only tells height and errors. */

import { keepApart } from './apart'
import { keepSaying } from './said'

keepApart()
keepSaying()
