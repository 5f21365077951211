package unannotated

func Forecast(city string) string { return city }
